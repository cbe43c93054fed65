package scripts

// Sets is one more than the largest set.
const Sets = sets

// Code is an embedded file without its comments, Text the file itself.
func Code(file string) string { return strip(source(file)) }
func Text(file string) string { return source(file) }

// Files are the embedded files.
func Files() []string {
	files := make([]string, len(parts))
	for i, part := range parts {
		files[i] = part.file
	}
	return files
}
